/** The time zones of the browser, by their area. */
import type { ChoiceGroup } from '../../ui/choice-field.js';

/** Returns the groups of a choice. UTC is the first, because `supportedValuesOf` leaves it out in some browsers. */
export function zoneGroups(zones: string[], other: string): ChoiceGroup[] {
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
