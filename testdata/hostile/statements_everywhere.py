return 1
yield 2
await f()
break
continue
nonlocal x
del (a), [b, (c)]
global __name__
raise
from . import *
from .......... import a
from __future__ import nothing
import a.b.c.d.e as f
*a, b = *c, *d
assert (x, 'y')
