/** Which contacts are chosen: some, or all of the view except some. Pure. */
export interface Selection {
  /** Whether all contacts of the view are chosen, except those in `ids`. */
  isAll: boolean;
  ids: ReadonlySet<string>;
}

export const NOTHING: Selection = { isAll: false, ids: new Set() };
export const EVERYTHING: Selection = { isAll: true, ids: new Set() };

export const isChosen = ({ isAll, ids }: Selection, id: string): boolean => ids.has(id) !== isAll;

export function toggle({ isAll, ids }: Selection, id: string): Selection {
  const changed = new Set(ids);
  if (!changed.delete(id)) changed.add(id);
  return { isAll, ids: changed };
}

/** @param total the contacts of the view */
export const countChosen = ({ isAll, ids }: Selection, total: number): number => (isAll ? total - ids.size : ids.size);
