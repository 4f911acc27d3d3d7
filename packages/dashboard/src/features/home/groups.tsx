/** All figures of each group in a table. */
import { Link } from '@tanstack/react-router';
import { useProject } from '../../api/project.js';
import { Rows } from '../../ui/list.js';
import { useFormat } from '../../words/format.js';
import { nameOfGroup } from './figure-chart.js';
import { emailsOf } from './lists.js';
import { COLUMNS, groupsOf, type GroupBy, type Point } from './view.js';
import { useHomeWords } from './words.js';

export function GroupTable({ points, groupBy }: { points: Point[]; groupBy: GroupBy }) {
  const words = useHomeWords();
  const format = useFormat();
  const { projectId } = useProject();
  const groups = groupsOf(points);
  if (groups.length === 0) return null;
  const range = { since: points[0]?.date, until: points.at(-1)?.date };
  return (
    <Rows
      label={words.groups[groupBy]}
      rows={groups}
      rowKey={({ key }) => key ?? ''}
      columns={[
        {
          id: 'group',
          header: words.groups[groupBy],
          cell: ({ key, name }) => {
            const link = emailsOf(groupBy, key, projectId, range);
            const label = nameOfGroup(key, name, words);
            return link ? (
              <Link {...link} className="font-medium hover:underline">
                {label}
              </Link>
            ) : (
              label
            );
          },
        },
        ...COLUMNS.map((column) => ({
          id: column,
          header: words.figures[column],
          align: 'end' as const,
          cell: ({ total }: (typeof groups)[number]) => format.number(total[column]),
        })),
      ]}
    />
  );
}
