import type { CampaignHistory } from '../../api/shapes'
import { useApi } from '../../live/query'
import { Icon, type IconName } from '../../parts/icons'
import { Loaded } from '../../parts/loaded'
import { Section } from '../../parts/page'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'

type Turn = CampaignHistory['turns'][number]

const ICONS: Record<Turn['what'], IconName> = {
  created: 'plus',
  scheduled: 'clock',
  started: 'play',
  paused: 'pause',
  resumed: 'play',
  retried: 'refresh',
  completed: 'check',
  cancelled: 'stop',
}

/** What happened to a campaign, and what made it stop. */
export function History({ id }: { id: string }) {
  const result = useApi('GET /api/campaigns/{id}/history', { params: { id } })
  return (
    <Section title={t('campaigns.history')}>
      <Loaded result={result} rows={3}>
        {({ turns }) => (
          <ol className="turns">
            {turns.map((turn) => (
              <TurnItem key={`${turn.at} ${turn.what}`} turn={turn} />
            ))}
          </ol>
        )}
      </Loaded>
    </Section>
  )
}

function TurnItem({ turn: { at, what, by, reason } }: { turn: Turn }) {
  const isAlert = reason !== null && reason !== 'user'
  return (
    <li className={isAlert ? 'turn alert' : 'turn'}>
      <Icon name={isAlert ? 'warning' : ICONS[what]} size={16} />
      <div>
        <p>
          {t(`campaigns.turn.${what}`)}
          {isAlert && `: ${t(`campaigns.paused.${reason}`)}`}
        </p>
        {isAlert && <p className="small">{t(`campaigns.way-on.${reason}`)}</p>}
        <p className="muted small">
          <time dateTime={at}>{formatDateTime(at)}</time>
          {by !== null && (
            <>
              {' · '}
              <bdi>{by}</bdi>
            </>
          )}
        </p>
      </div>
    </li>
  )
}
