/** The email of a campaign with the clicks drawn over its links. The list of links has the same figures. */
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useProject } from '../../api/project.js';
import { EmailFrame, type FrameLink } from '../../ui/email-frame.js';
import { Card } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { ContactPicker, type SampleContact } from '../editor/contact-picker.js';
import { useRendering } from '../editor/rendering.js';
import { heatOf, type Heat, type LinkFigures } from './heat.js';
import { shareOf, toSaved, type Campaign } from './model.js';
import { useReportWords } from './report-words.js';

/** How strongly the coldest and the hottest link are colored. */
const [MIN_OPACITY, MAX_OPACITY] = [0.08, 0.45];

interface Props {
  campaign: Campaign;
  clicked: readonly LinkFigures[];
}

export function Heatmap({ campaign, clicked }: Props) {
  const words = useReportWords();
  const { $api } = useProject();
  const [contact, setContact] = useState<SampleContact | null>(null);
  const content = useMemo(() => toSaved({ campaign, etag: null }).fields, [campaign]);
  const { rendering, error } = useRendering({
    content,
    type: campaign.type,
    from: campaign.from,
    contactId: contact?.id ?? null,
  });
  const [placed, setPlaced] = useState<FrameLink[]>([]);
  const { data: config } = $api.useQuery('get', '/config');
  // In a preview, the links to a contact's own pages lead to the installation. They are not tracked.
  const links = useMemo(() => placed.filter(({ url }) => url !== config?.urls.api), [placed, config]);
  const { heats, rest } = useMemo(() => heatOf(links, clicked), [links, clicked]);
  const hottest = Math.max(1, ...heats.map(({ people }) => people));
  return (
    <Card title={words.heatmap}>
      <p className="text-muted">{words.heatmapAbout}</p>
      <ContactPicker label={words.heatmapContact} hint={words.heatmapHint} contact={contact} onChange={setContact} />
      {error !== null && <ErrorState error={error} />}
      {!rendering && error === null && <Skeleton lines={6} />}
      {rendering?.html != null && (
        // The user's own content, so its images are loaded.
        <EmailFrame title={words.heatmapFrame} html={rendering.html} hasImages onLinks={setPlaced}>
          {links.map((link, index) => (
            <HeatMark key={index} campaignId={campaign.id} link={link} heat={heats[index]} hottest={hottest} />
          ))}
        </EmailFrame>
      )}
      {links.length > 0 && rest.length > 0 && <p className="text-muted">{words.heatRest(rest.length)}</p>}
    </Card>
  );
}

/** The badge is at the upper right corner, outside of the link, so that it covers no short word. */
const BADGE_OVERLAP_PX = 4;
/** Of four digits. At the right edge of the email, the badge is inside of the link. */
const BADGE_WIDTH = '2.5rem';

interface MarkProps {
  campaignId: string;
  link: FrameLink;
  heat: Heat | undefined;
  hottest: number;
}

function HeatMark({ campaignId, link: { url, box }, heat, hottest }: MarkProps) {
  const words = useReportWords();
  const format = useFormat();
  const { projectId } = useProject();
  if (!heat || box.width === 0) return null;
  const { people, links } = heat;
  return (
    <Link
      to="/projects/$projectId/campaigns/$campaignId"
      params={{ projectId, campaignId }}
      search={{ tab: 'recipients', url: links[0]?.url ?? url }}
      title={words.heatOf(people, url)}
      // The list has the same links for the keyboard and for screen readers.
      aria-hidden
      tabIndex={-1}
      className="absolute rounded outline-2 outline-accent"
      style={box}
    >
      <span
        className="absolute inset-0 rounded bg-accent"
        style={{ opacity: MIN_OPACITY + (MAX_OPACITY - MIN_OPACITY) * shareOf(people, hottest) }}
      />
      <span
        className="absolute min-w-4 rounded-full bg-accent px-1 text-center text-xs leading-4 font-semibold text-on-accent tabular-nums"
        style={{
          left: `min(100% - ${BADGE_OVERLAP_PX}px, 100cqw - ${box.left}px - ${BADGE_WIDTH})`,
          top: `max(${BADGE_OVERLAP_PX}px - 1rem, ${-box.top}px)`,
        }}
      >
        {format.number(people)}
      </span>
    </Link>
  );
}
