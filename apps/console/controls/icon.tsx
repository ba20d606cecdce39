import type { ReactNode } from 'react';

/** Line icons on a grid of 20; they take the colour of the text and are always beside words or a label. */
function icon(lines: ReactNode) {
  return function Icon() {
    return (
      <svg
        width="18"
        height="18"
        viewBox="0 0 20 20"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {lines}
      </svg>
    );
  };
}

export const InboxIcon = icon(
  <>
    <path d="M3 11.5 5.2 4.9A1.3 1.3 0 0 1 6.4 4h7.2a1.3 1.3 0 0 1 1.2.9l2.2 6.6V15a1.2 1.2 0 0 1-1.2 1.2H4.2A1.2 1.2 0 0 1 3 15z" />
    <path d="M3 11.5h3.6l1.2 2h4.4l1.2-2H17" />
  </>,
);
export const SettingsIcon = icon(
  <>
    <circle cx="10" cy="10" r="2.4" />
    <path d="M10 3v2M10 15v2M3 10h2M15 10h2M5.05 5.05l1.4 1.4M13.55 13.55l1.4 1.4M14.95 5.05l-1.4 1.4M6.45 13.55l-1.4 1.4" />
  </>,
);
export const ChecklistIcon = icon(
  <path d="m3.5 6 1.4 1.4L7.5 4.6M3.5 13.4l1.4 1.4 2.6-2.8M10.5 6h6M10.5 13.6h6" />,
);
export const MoonIcon = icon(<path d="M16.5 12.2A6.8 6.8 0 0 1 7.8 3.5a6.8 6.8 0 1 0 8.7 8.7z" />);
export const SunIcon = icon(
  <>
    <circle cx="10" cy="10" r="3.2" />
    <path d="M10 2.8v1.7M10 15.5v1.7M2.8 10h1.7M15.5 10h1.7M4.9 4.9l1.2 1.2M13.9 13.9l1.2 1.2M15.1 4.9l-1.2 1.2M6.1 13.9l-1.2 1.2" />
  </>,
);
export const SignOutIcon = icon(
  <path d="M8 16.5H4.7a1.2 1.2 0 0 1-1.2-1.2V4.7a1.2 1.2 0 0 1 1.2-1.2H8M13 13.5l3.5-3.5L13 6.5M16.5 10H8" />,
);
export const CheckIcon = icon(<path d="m4.5 10.5 3.5 3.5 7.5-8" />);
export const TriangleIcon = icon(<path d="M10 3.6 17.2 16H2.8zM10 8.2v3.6M10 13.9v.1" />);
export const QuestionIcon = icon(<path d="M7.6 7.4a2.4 2.4 0 1 1 3.5 2.2c-.8.4-1.1.9-1.1 1.7M10 14v.1" />);
export const DashIcon = icon(<path d="M5.5 10h9" />);
export const BoxIcon = icon(
  <path d="M10 2.8 16.5 6.2v7.6L10 17.2l-6.5-3.4V6.2zM3.5 6.2 10 9.7l6.5-3.5M10 9.7v7.5" />,
);
export const ScanIcon = icon(
  <path d="M3 6.5V4h2.5M14.5 4H17v2.5M17 13.5V16h-2.5M5.5 16H3v-2.5M6.5 7v6M9 7v6M11 7v6M13.5 7v6" />,
);
export const LayersIcon = icon(<path d="m10 3.5 7 3.6-7 3.6-7-3.6zM3 10.4l7 3.6 7-3.6M3 13.4l7 3.6 7-3.6" />);
export const BookmarkIcon = icon(<path d="M5.5 3.5h9v13L10 13l-4.5 3.5z" />);
export const PillIcon = icon(
  <path d="M11.2 3.9a3.4 3.4 0 0 1 4.9 4.9l-7.3 7.3a3.4 3.4 0 0 1-4.9-4.9zM7.5 7.6l4.9 4.9" />,
);
export const DocumentIcon = icon(<path d="M5 3h7l3 3v11H5zM8 9h4M8 12h4" />);
export const WebhookIcon = icon(
  <>
    <circle cx="10" cy="5.5" r="2.5" />
    <circle cx="5" cy="14.5" r="2.5" />
    <circle cx="15" cy="14.5" r="2.5" />
    <path d="m8.8 7.7-2.5 4.5M11.2 7.7l2.5 4.5M7.5 14.5h5" />
  </>,
);
export const BarsIcon = icon(<path d="M3.5 16.5h13M5.5 13.5V9M10 13.5v-9M14.5 13.5V7" />);
export const BackIcon = icon(<path d="m12 4.5-5.5 5.5 5.5 5.5" />);
export const DownIcon = icon(<path d="m5.5 8 4.5 4.5L14.5 8" />);
export const SaveIcon = icon(<path d="M10 3.5v9M6.4 9.2 10 12.8l3.6-3.6M4 16.5h12" />);
export const FilterIcon = icon(<path d="M3.5 5.5h13M6 10h8M8.5 14.5h3" />);
