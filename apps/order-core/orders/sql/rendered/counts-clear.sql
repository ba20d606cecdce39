-- Written by `node tools/bootstrap.mjs docs`. Change the code, not this file.
VACUUM (SKIP_LOCKED, TRUNCATE FALSE) core.order_count_deltas;
