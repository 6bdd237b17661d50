import type { Account, OutboxStats } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { IconButton } from '../../../parts/button'
import { Guarded, Loaded } from '../../../parts/loaded'
import { Page } from '../../../parts/page'
import { Empty } from '../../../parts/state'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'
import { NumberQueue } from './number-queue'
import { Waiting } from './messages'

/** Numbers of which the names are shown. */
const MOST_NUMBERS = 100

/** What waits to be sent, by number: pause it, resume it, or give it up. */
export function Queue() {
  const mayRead = useCan('jobs:read')
  const stats = useApi('GET /api/outbox/stats', {}, mayRead)
  const query = { limit: MOST_NUMBERS }
  const accounts = useApi('GET /api/accounts', { query }, useCan('accounts:read')).data?.items
  const refresh = useRefresh('GET /api/outbox/stats', 'GET /api/outbox')
  return (
    <Page
      title={t('queue.title')}
      hint={t('queue.hint')}
      actions={
        <IconButton
          icon="refresh"
          label={t('webhooks.refresh')}
          onPress={() => {
            refresh().catch(report)
          }}
        />
      }
    >
      <Guarded needs="jobs:read">
        <Loaded result={stats}>
          {(shown) =>
            shown.accounts.length === 0 ? (
              <Empty icon="phone" title={t('settings.numbers.empty')} />
            ) : (
              <>
                {shown.accounts.map((one) => (
                  <NumberQueue key={one.account_id} stats={one} name={nameOf(one, accounts)} />
                ))}
                <Waiting />
              </>
            )
          }
        </Loaded>
      </Guarded>
    </Page>
  )
}

/** The name of a number; its ID for who may not see numbers. */
const nameOf = (
  { account_id: id }: OutboxStats,
  accounts: readonly Account[] | undefined,
): string => accounts?.find((one) => one.id === id)?.name ?? id
