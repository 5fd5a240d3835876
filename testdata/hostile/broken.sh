#!/bin/sh
cat <<EOF > /tmp/x
no end of the heredoc
$(mktemp -d "${x:-`y` 'z
