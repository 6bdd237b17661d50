import { call } from '../../../api/client'
import type { Conversation } from '../../../api/shapes'
import { useQuery } from '@tanstack/react-query'
import { Problem, Skeleton } from '../../../parts/state'
import { formatMoney } from '../../../texts/format'
import { findText, t } from '../../../texts/texts'

/** What a text without template costs for a customer, and what to know before it is sent. */
export interface DirectTerms {
  /** Whether the cost was shown, so that the text may be sent. */
  isKnown: boolean
  error: unknown
  retry: () => void
  cost: { amount: string; currency: string } | null
  warnings: readonly string[]
}

/** Asks what a text without template costs now. Its words do not matter. */
export function useDirectTerms(
  { account_id, contact }: Conversation,
  isAsked: boolean,
): DirectTerms {
  const { data, error, refetch } = useQuery({
    queryKey: ['direct-cost', account_id, contact.id],
    queryFn: ({ signal }) =>
      call('POST /api/messages/preview', {
        body: { account_id, contact_id: contact.id, type: 'text', text: '…', direct: true },
        signal,
      }),
    enabled: isAsked,
    staleTime: 60_000,
  })
  return {
    isKnown: data !== undefined,
    error,
    retry: () => {
      refetch().catch(() => undefined)
    },
    cost: data?.estimated_cost ?? null,
    warnings: data?.warnings ?? [],
  }
}

/** The cost of a text without template, its rule, and what stands in its way. */
export function DirectCost({ isKnown, error, retry, cost, warnings }: DirectTerms) {
  if (error !== null && !isKnown) return <Problem error={error} onRetry={retry} />
  if (!isKnown) return <Skeleton shape="line" rows={1} />
  return (
    <div className="template-cost small" role="status">
      <p className="muted">
        {cost ? <b>{priceOf(cost)}</b> : t('inbox.direct.no-price')} {t('inbox.direct.rule')}
      </p>
      {warnings.map((warning) => (
        <p key={warning} className="over">
          {findText(`inbox.direct.warning.${warning}`)}
        </p>
      ))}
    </div>
  )
}

const priceOf = ({ amount, currency }: NonNullable<DirectTerms['cost']>): string =>
  Number(amount) === 0
    ? t('inbox.template.free')
    : t('inbox.template.cost', { price: formatMoney(Number(amount), currency) })
