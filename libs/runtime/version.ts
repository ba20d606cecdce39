/**
 * Copy of package.json's version, because the image does not contain that file; version.spec.ts compares the two.
 */
export const VERSION = '0.1.0';
