import { stopAll } from './run-folder';

/** Jest's globalTeardown of every phase with servers. */
export default stopAll;
