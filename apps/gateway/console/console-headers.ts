/** What the console's page may do, by its headers (docs/contract.md#the-consoles-page). */

/** The one `<style>` that React Aria's press handling inserts (touch-action); apps/console tests that it is this one. */
const PRESS_STYLE = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='";

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${PRESS_STYLE}`,
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types pdf-worker',
].join('; ');

/** A worker takes the policy of its own answer: image decoders run as wasm there, and not in the page. */
const WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

const UNUSED_FEATURES = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': [
    ...UNUSED_FEATURES.map((name) => `${name}=()`),
    'publickey-credentials-get=(self)',
  ].join(', '),
};

export const PAGE_HEADERS = { 'content-security-policy': PAGE_POLICY, ...EVERYWHERE };

export function headersOfAsset(name: string): Record<string, string> {
  const isWorker = name.startsWith('pdf.worker');
  return { 'content-security-policy': isWorker ? WORKER_POLICY : PAGE_POLICY, ...EVERYWHERE };
}
