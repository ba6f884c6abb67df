dist_man_MANS += man/domusd.8 man/domusd.conf.5 man/domsh.1 man/simvmm.1 man/domus-rpc.7
TESTS += man/check.sh
dist_check_SCRIPTS += man/check.sh
