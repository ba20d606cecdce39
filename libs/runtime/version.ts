/** Of package.json, which is not in the image; version.spec.ts compares the two. */
export const VERSION = '0.1.0';
