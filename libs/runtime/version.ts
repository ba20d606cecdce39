/** The image does not contain package.json; process.spec.ts compares the two. */
export const VERSION = '0.1.0';
