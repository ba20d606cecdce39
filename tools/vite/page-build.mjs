/** What the builds of all pages share that the gateway serves (apps/gateway/bundles). */
const BROWSERS = ['chrome123', 'firefox121', 'safari17.5'];

export const pageBuild = {
  emptyOutDir: true,
  target: BROWSERS,
  // An older target would rewrite light-dark().
  cssTarget: BROWSERS,
  // Fonts and pictures stay files: the policies of the pages allow no data: fonts.
  assetsInlineLimit: 0,
  modulePreload: { polyfill: false },
  reportCompressedSize: false,
};
