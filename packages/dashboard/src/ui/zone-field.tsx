/** A choice among the time zones that the browser knows, by their area. */
import { useWords } from '../words/words.js';
import { ChoiceField, type ChoiceGroup } from './choice-field.js';

interface Props {
  label: string;
  /** An IANA name. It may be one that the browser does not list. */
  value: string;
  onChange: (zone: string) => void;
  hint?: string;
  error?: string | undefined;
}

export function ZoneField(props: Props) {
  const { common } = useWords();
  return <ChoiceField {...props} groups={zoneGroups(Intl.supportedValuesOf('timeZone'), common.otherZones)} />;
}

/** Returns the groups of a choice. UTC is the first, because `supportedValuesOf` leaves it out in some browsers. */
function zoneGroups(zones: string[], other: string): ChoiceGroup[] {
  const groups = new Map<string, ChoiceGroup>([[other, { value: other, items: [{ value: 'UTC', label: 'UTC' }] }]]);
  for (const zone of zones) {
    if (zone === 'UTC') continue;
    const [area = '', ...place] = zone.split('/');
    const name = place.length === 0 ? other : area;
    const group = groups.get(name) ?? { value: name, items: [] };
    group.items.push({ value: zone, label: zone.replaceAll('_', ' ') });
    groups.set(name, group);
  }
  return [...groups.values()];
}
