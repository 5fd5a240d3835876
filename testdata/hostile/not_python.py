<!DOCTYPE html>
<p>{{ rank }}</p>
#!/usr/bin/perl
my $x = 'x';
