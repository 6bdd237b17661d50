import type { ConversationCounts } from '../../api/shapes'
import { useCan, useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { serverNow } from '../../live/server-clock'
import { dayOf, formatDuration, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import type { Search } from './views'

interface Props {
  counts: ConversationCounts
  onSearch: (search: Search) => void
}

const S_MS = 1_000

/** The day of the person: who waits, what they have and what they did. */
export function Day({ counts, onSearch }: Props) {
  const takes = [useCan('transfers:pickup'), useCan('transfers:assign')].includes(true)
  const today = dayOf(serverNow())
  const query = { start_date: today, end_date: today }
  // who runs the server and is no member has done nothing here
  const isMember = useMe().membership_id !== null
  const report = useApi('GET /api/me/report', { query }, isMember).data
  const { folders, closed_today: closed, waiting_longest_seconds: longestS } = counts
  const answerS = report?.agent.avg_first_response_seconds ?? 0
  const lead = (search: Search) => () => {
    onSearch(search)
  }
  return (
    <dl className="day-figures" aria-label={t('inbox.day.title')}>
      {takes && (
        <Figure text={t('inbox.view.queue')} onOpen={lead({ view: 'queue' })}>
          {formatNumber(folders.waiting)}
        </Figure>
      )}
      <Figure text={t('inbox.day.oldest')} onOpen={lead({ view: 'waiting' })}>
        {longestS === null ? '–' : formatDuration(longestS * S_MS)}
      </Figure>
      <Figure text={t('inbox.view.mine')} onOpen={lead({ view: 'mine' })}>
        {formatNumber(folders.mine)}
      </Figure>
      <Figure text={t('inbox.day.closed')}>{formatNumber(closed)}</Figure>
      <Figure text={t('inbox.day.answer')}>
        {answerS === 0 ? '–' : formatDuration(answerS * S_MS)}
      </Figure>
    </dl>
  )
}

interface FigureProps {
  text: string
  /** Shows the conversations behind the number. */
  onOpen?: () => void
  children: string
}

const Figure = ({ text, onOpen, children }: FigureProps) => (
  <div>
    <dt className="muted small">{text}</dt>
    <dd>
      {onOpen ? (
        <button type="button" aria-label={`${text}: ${children}`} onClick={onOpen}>
          {children}
        </button>
      ) : (
        children
      )}
    </dd>
  </div>
)
