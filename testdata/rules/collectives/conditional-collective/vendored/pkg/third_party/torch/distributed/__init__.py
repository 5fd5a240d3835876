"""A part of a library that is kept inside the package under a longer name: nobody means it by the short one."""
