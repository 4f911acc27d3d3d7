/** What counts for a campaign at the local time of each recipient, in words. */
import { Facts } from '../../ui/page.js';
import { useFormat } from '../../words/format.js';
import { RECIPIENT, type Campaign } from './model.js';
import { useCampaignWords } from './words.js';

type FactList = Array<[name: string, value: string]>;

/** Returns a function of the zone of recipients without one, and of the hours after which an email is not sent. */
export function useScheduleFacts() {
  const { schedule: words } = useCampaignWords();
  const format = useFormat();
  return (fallback: string | undefined, maxLateness: number | null | undefined): FactList => [
    ...(fallback === undefined ? [] : [pair(words.withoutZone, fallback)]),
    ...(maxLateness == null ? [] : [pair(words.maxLateness, words.hours(format.number(maxLateness), maxLateness))]),
  ];
}

const pair = (name: string, value: string): FactList[number] => [name, value];

/** Shows nothing for a campaign that is not sent at the local time of each recipient. */
export function RecipientSchedule({ schedule }: { schedule: Campaign['localSchedule'] }) {
  const { review } = useCampaignWords();
  const format = useFormat();
  const limits = useScheduleFacts();
  if (schedule?.timezone !== RECIPIENT) return null;
  const { time, fallbackTimezone, maxLateness } = schedule;
  const when = review.atRecipients(format.localDateTime(time));
  return <Facts facts={[[review.when, when], ...limits(fallbackTimezone, maxLateness)]} />;
}
