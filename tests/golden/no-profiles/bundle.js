function f(a){var b=a.c;return b}function g(a,b){for(var i=0;i<a;i++){b(i);f(i)}}g(12,f);
