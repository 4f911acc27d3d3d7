/** Icons of 16 pixels. They are decoration: the words next to them, or an `aria-label`, say what they mean. */
import type { ReactNode } from 'react';

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 24 24"
      width={16}
      height={16}
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      {children}
    </svg>
  );
}

const icon = (...paths: string[]) =>
  function PathIcon() {
    return (
      <Icon>
        {paths.map((path) => (
          <path key={path} d={path} />
        ))}
      </Icon>
    );
  };

export const CheckIcon = icon('M5 12l5 5L20 7');
export const CloseIcon = icon('M6 6l12 12', 'M18 6L6 18');
export const PlusIcon = icon('M12 5v14', 'M5 12h14');
export const MinusIcon = icon('M5 12h14');
export const FitIcon = icon('M4 9V4h5', 'M15 4h5v5', 'M20 15v5h-5', 'M9 20H4v-5');
export const SearchIcon = icon('M11 4a7 7 0 100 14 7 7 0 000-14z', 'M20 20l-4-4');
export const HelpIcon = icon(
  'M12 3a9 9 0 100 18 9 9 0 000-18z',
  'M9.5 9.5a2.5 2.5 0 113.5 2.3c-.7.3-1 .8-1 1.7',
  'M12 17h.01',
);
export const MoreIcon = icon('M4 12h2', 'M11 12h2', 'M18 12h2');
export const MenuIcon = icon('M4 6h16', 'M4 12h16', 'M4 18h16');
export const UpIcon = icon('M6 15l6-6 6 6');
export const DownIcon = icon('M6 9l6 6 6-6');
export const NextIcon = icon('M9 6l6 6-6 6');
export const BackIcon = icon('M15 6l-6 6 6 6');
export const TrashIcon = icon('M4 7h16', 'M9 7V4h6v3', 'M6 7l1 13h10l1-13');
export const EditIcon = icon('M4 20h4L19 9l-4-4L4 16v4z');
export const CopyIcon = icon('M9 9h11v11H9z', 'M5 15H4V4h11v1');
export const BookmarkIcon = icon('M6 4h12v16l-6-4-6 4z');
export const LinkIcon = icon(
  'M10 14a4 4 0 005.7 0l3-3a4 4 0 00-5.7-5.7L12 6.3',
  'M14 10a4 4 0 00-5.7 0l-3 3a4 4 0 005.7 5.7l1-1',
);
export const ExternalIcon = icon('M14 4h6v6', 'M20 4l-9 9', 'M18 14v6H4V6h6');
export const UndoIcon = icon('M9 14L4 9l5-5', 'M4 9h10a6 6 0 010 12h-3');
export const RedoIcon = icon('M15 14l5-5-5-5', 'M20 9H10a6 6 0 000 12h3');
export const UploadIcon = icon('M12 16V4', 'M7 9l5-5 5 5', 'M4 20h16');
export const DownloadIcon = icon('M12 4v12', 'M7 11l5 5 5-5', 'M4 20h16');
export const FilterIcon = icon('M4 5h16l-6 8v6l-4-2v-4z');
export const HomeIcon = icon('M4 11l8-7 8 7', 'M6 10v10h12V10');
export const ActivityIcon = icon('M3 12h4l3-8 4 16 3-8h4');
export const PeopleIcon = icon(
  'M9 11a4 4 0 100-8 4 4 0 000 8z',
  'M2 21v-2a5 5 0 015-5h4a5 5 0 015 5v2',
  'M17 4a4 4 0 010 7',
  'M22 21v-2a5 5 0 00-4-5',
);
export const SegmentIcon = icon('M12 3a9 9 0 109 9h-9z', 'M16 3.9A9 9 0 0120.1 8H16z');
export const MailIcon = icon('M3 5h18v14H3z', 'M3 7l9 6 9-6');
export const SendIcon = icon('M21 3L10 14', 'M21 3l-7 18-4-7-7-4z');
export const TemplateIcon = icon('M4 4h16v16H4z', 'M4 9h16', 'M10 9v11');
export const WorkflowIcon = icon('M4 4h6v6H4z', 'M14 14h6v6h-6z', 'M7 10v7h7');
export const EventIcon = icon('M13 3L5 14h6l-1 7 8-11h-6z');
export const DomainIcon = icon(
  'M12 3a9 9 0 100 18 9 9 0 000-18z',
  'M3 12h18',
  'M12 3c3 3 3 15 0 18',
  'M12 3c-3 3-3 15 0 18',
);
export const ShieldIcon = icon('M12 3l8 3v6c0 5-3 8-8 9-5-1-8-4-8-9V6z');
export const SettingsIcon = icon('M4 7h10', 'M18 7h2', 'M14 5v4', 'M4 17h2', 'M10 17h10', 'M8 15v4');
export const CodeIcon = icon('M8 8l-4 4 4 4', 'M16 8l4 4-4 4');
export const ImageIcon = icon('M4 4h16v16H4z', 'M4 16l5-5 4 4 3-3 4 4', 'M9 9h.01');
export const MapIcon = icon('M9 4L3 6v14l6-2 6 2 6-2V4l-6 2-6-2z', 'M9 4v14', 'M15 6v14');
export const ClockIcon = icon('M12 3a9 9 0 100 18 9 9 0 000-18z', 'M12 7v5l3 2');
export const WarningIcon = icon('M12 4l9 16H3z', 'M12 10v4', 'M12 17h.01');
export const ChartIcon = icon('M4 20V10', 'M12 20V4', 'M20 20v-7');
