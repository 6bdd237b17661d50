import { useState } from 'react'

import { call } from '../../../api/client'
import type { Account, AccountHealth, AccountTest, NumberRouting } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button } from '../../../parts/button'
import { Loaded } from '../../../parts/loaded'
import { Section } from '../../../parts/page'
import { Trouble } from '../../../parts/state'
import { roleName } from '../../../parts/role-name'
import { report } from '../../../parts/toast'
import {
  formatDate,
  formatDateTime,
  formatList,
  formatMoney,
  formatNumber,
  formatPercent,
} from '../../../texts/format'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'
import { Facts } from './facts'

/** A test of the connection that a person asked for. */
export interface Testing {
  result: AccountTest | null
  isBusy: boolean
  run: () => void
}

/** Returns how a person tests a number. */
export function useTesting(account: Account): Testing {
  const refresh = useRefresh(
    'GET /api/accounts',
    'GET /api/accounts/{id}',
    'GET /api/accounts/{id}/health',
    'GET /api/accounts/{id}/routing',
  )
  const [result, setResult] = useState<AccountTest | null>(null)
  const [isBusy, setBusy] = useState(false)
  return {
    result,
    isBusy,
    run: () => {
      setBusy(true)
      call('POST /api/accounts/{id}/test', { params: { id: account.id } })
        .then((tested) => {
          setResult(tested)
          return refresh()
        })
        .catch(report)
        .finally(() => {
          setBusy(false)
        })
    },
  }
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

const timeOf = (at: string | null): string =>
  at === null ? t('settings.numbers.never') : formatDateTime(at)

/** Returns what the messages of the month cost so far. */
const costOf = ({ cost_month: cost }: AccountHealth): string | null =>
  cost && formatMoney(Number(cost.amount), cost.currency)

/** Returns how many free messages are left this month. */
const freeOf = ({ service_allowance: free }: AccountHealth): string | null =>
  free &&
  t('number.fact.free-left', {
    left: formatNumber(Math.max(0, free.free - free.used)),
    of: formatNumber(free.free),
    time: formatDate(free.resets_at),
  })

/** Returns how the quality changed, the latest first. */
const historyOf = ({ quality_history: history }: AccountHealth): string | null =>
  history.length === 0
    ? null
    : history
        .slice(0, 5)
        .map(({ at, to }) => `${qualityOf(to)} (${formatDate(at)})`)
        .join(', ')

const QUALITIES = ['GREEN', 'YELLOW', 'RED'] as const
const qualityOf = (rating: string | null): string => {
  const known = QUALITIES.find((one) => one === rating)
  return known ? t(`settings.numbers.quality.${known}`) : t('settings.numbers.unknown')
}

interface Props {
  account: Account
  routing: NumberRouting | undefined
  testing: Testing
}

/** How well a number works: what arrives, what is sent, and what WhatsApp says. */
export function Health({ account, routing, testing }: Props) {
  const canTest = useCan('accounts:update')
  const health = useApi('GET /api/accounts/{id}/health', { params: { id: account.id } })
  return (
    <Section
      title={t('settings.numbers.health')}
      actions={
        canTest && (
          <Button isPending={testing.isBusy} onPress={testing.run}>
            {t('settings.numbers.test')}
          </Button>
        )
      }
    >
      {testing.result && <TestResult test={testing.result} />}
      <Loaded result={health} rows={6}>
        {(facts) => (
          <Facts
            facts={[
              [t('number.fact.shown-name'), account.verified_name],
              [t('number.fact.quality'), qualityOf(account.quality_rating)],
              [t('number.fact.history'), historyOf(facts)],
              [t('settings.numbers.fact.inbound'), timeOf(facts.last_inbound_at)],
              [t('settings.numbers.fact.sent'), timeOf(facts.last_send_ok_at)],
              [t('settings.numbers.fact.queue'), formatNumber(facts.queue_depth)],
              [t('settings.numbers.fact.failed'), formatPercent(facts.failed_rate_1h)],
              [t('settings.numbers.fact.limit'), limitOf(facts.limits.tier)],
              [t('settings.numbers.fact.used'), formatNumber(facts.limits.used_24h)],
              [t('number.fact.cost'), costOf(facts)],
              [t('number.fact.free'), freeOf(facts)],
              [t('settings.numbers.fact.roles'), routing ? rolesOf(routing) : null],
              [t('number.fact.checked'), timeOf(account.last_checked_at)],
            ]}
          />
        )}
      </Loaded>
    </Section>
  )
}

function TestResult({ test }: { test: AccountTest }) {
  return (
    <div role="status" className="test-result">
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
