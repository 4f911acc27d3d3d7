/** The report of a campaign. */
import { Figure, Figures } from '../../ui/figure.js';
import { useFormat } from '../../words/format.js';
import { shareOf, type Campaign, type Stats } from './model.js';
import { useCampaignWords } from './words.js';

export function Report({ stats }: { campaign: Campaign; stats: Stats }) {
  const words = useCampaignWords();
  const format = useFormat();
  const { sentCount, openedCount, clickedCount } = stats;
  return (
    <Figures>
      <Figure label={words.sent} value={format.number(sentCount)} />
      <Figure label={words.opened} value={format.percent(shareOf(openedCount, sentCount))} />
      <Figure label={words.clicked} value={format.percent(shareOf(clickedCount, sentCount))} />
    </Figures>
  );
}
