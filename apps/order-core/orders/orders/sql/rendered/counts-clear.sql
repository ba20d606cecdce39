-- Written by `node tools/bootstrap.mjs docs`. Change the code, not this file.
VACUUM (SKIP_LOCKED, TRUNCATE FALSE) core.row_count_deltas;
