import { useState, type ReactNode } from 'react'

import { call } from '../../api/client'
import type { Account, NumberRouting, AccountTest } from '../../api/shapes'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Loaded } from '../../parts/loaded'
import { Trouble } from '../../parts/state'
import { roleName } from '../../parts/role-name'
import { report } from '../../parts/toast'
import { formatDateTime, formatList, formatNumber, formatPercent } from '../../texts/format'
import { t } from '../../texts/texts'
import { useRefresh } from './use-refresh'

interface Props {
  account: Account
  canTest: boolean
  onClose: () => void
}

/** How well a phone number works: what arrives, what is sent, and what the platform says. */
export function NumberHealth({ account, canTest, onClose }: Props) {
  const params = { id: account.id }
  const health = useApi('GET /api/accounts/{id}/health', { params })
  const routing = useApi('GET /api/accounts/{id}/routing', { params })
  const refresh = useRefresh('GET /api/accounts', 'GET /api/accounts/{id}/routing')
  const [tested, setTested] = useState<AccountTest | null>(null)
  const [isBusy, setBusy] = useState(false)
  const test = (): void => {
    setBusy(true)
    call('POST /api/accounts/{id}/test', { params })
      .then((result) => {
        setTested(result)
        return refresh()
      })
      .catch(report)
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <Dialog title={account.name} size="medium" isOpen onClose={onClose}>
      <Loaded result={health} rows={6}>
        {(facts) => (
          <>
            {facts.last_error && <Trouble>{facts.last_error.message}</Trouble>}
            {routing.data && <NoRole routing={routing.data} />}
            <dl className="facts">
              <Fact name={t('settings.numbers.fact.inbound')}>{timeOf(facts.last_inbound_at)}</Fact>
              <Fact name={t('settings.numbers.fact.sent')}>{timeOf(facts.last_send_ok_at)}</Fact>
              <Fact name={t('settings.numbers.fact.queue')}>{formatNumber(facts.queue_depth)}</Fact>
              <Fact name={t('settings.numbers.fact.failed')}>
                {formatPercent(facts.failed_rate_1h)}
              </Fact>
              <Fact name={t('settings.numbers.fact.limit')}>{limitOf(facts.limits.tier)}</Fact>
              <Fact name={t('settings.numbers.fact.used')}>
                {formatNumber(facts.limits.used_24h)}
              </Fact>
              {routing.data && (
                <Fact name={t('settings.numbers.fact.roles')}>{rolesOf(routing.data)}</Fact>
              )}
            </dl>
          </>
        )}
      </Loaded>
      {tested && <TestResult test={tested} />}
      {canTest && (
        <footer className="actions">
          <Button isPending={isBusy} onPress={test}>
            {t('settings.numbers.test')}
          </Button>
        </footer>
      )}
    </Dialog>
  )
}

/** Returns a messaging limit such as `TIER_2K` in words: how many customers in 24 hours. */
function limitOf(tier: string | null): string {
  if (tier === null) return t('settings.numbers.unknown')
  if (tier === 'TIER_UNLIMITED') return t('settings.numbers.unlimited')
  const [, count, thousands] = /^TIER_(\d+)(K?)$/.exec(tier) ?? []
  return count === undefined ? tier : formatNumber(Number(count) * (thousands === 'K' ? 1_000 : 1))
}

/** Returns which roles a number has in the routing of WhatsApp. */
function rolesOf({ roles }: NumberRouting): string {
  if (roles === null) return t('settings.numbers.unknown')
  return roles.length === 0 ? t('settings.numbers.roles.none') : formatList(roles.map(roleName))
}

/** Says that nothing arrives, or is only observed, on a number without any role. */
const NoRole = ({ routing }: { routing: NumberRouting }) =>
  routing.roles?.length === 0 ? (
    <Trouble>
      {t(routing.is_standby ? 'settings.numbers.roles.observes' : 'settings.numbers.roles.silent')}
    </Trouble>
  ) : null

const timeOf = (at: string | null): string =>
  at === null ? t('settings.numbers.never') : formatDateTime(at)

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function TestResult({ test }: { test: AccountTest }) {
  return (
    <div role="status">
      {test.connected ? (
        <p className="chip good">{t('settings.numbers.test-ok')}</p>
      ) : (
        <Trouble>{test.error?.message ?? t('settings.numbers.test-failed')}</Trouble>
      )}
      {test.warnings.map((warning) => (
        <p key={warning} className="banner">
          {warning}
        </p>
      ))}
    </div>
  )
}
