import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { call, type Body } from '../../api/client'
import type { Template } from '../../api/shapes'
import { formatMoney } from '../../texts/format'
import { t } from '../../texts/texts'
import { Trouble } from '../state'

/** Pause in typing after which the server is asked, milliseconds. */
const PAUSE_MS = 500

type Values = Body<'POST /api/templates/{id}/preview'>

/** Returns the values when they have not changed for a moment. */
function useSettled(values: Values | null): Values | null {
  const [settled, setSettled] = useState<Values | null>(null)
  const text = JSON.stringify(values)
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(JSON.parse(text) as Values | null)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [text])
  return settled
}

interface Props {
  template: Template
  contactId: string
  /** The values of the template; `null` while some are missing. */
  values: Values | null
}

/** What the template costs for this contact, and what the platform would refuse. */
export function Cost({ template, contactId, values }: Props) {
  const settled = useSettled(values)
  const { data } = useQuery({
    queryKey: ['template-cost', template.id, contactId, settled],
    queryFn: ({ signal }) =>
      call('POST /api/templates/{id}/preview', {
        params: { id: template.id },
        body: { ...settled, contact_id: contactId },
        signal,
      }),
    enabled: settled !== null,
    staleTime: 60_000,
  })
  if (!data) return null
  const { estimated_cost: cost, problems } = data
  return (
    <div className="template-cost small" role="status">
      {cost && (
        <p className="muted">
          {Number(cost.amount) === 0
            ? t('inbox.template.free')
            : t('inbox.template.cost', { price: formatMoney(Number(cost.amount), cost.currency) })}
        </p>
      )}
      {problems.map(({ path, message }) => (
        <Trouble key={path}>{message}</Trouble>
      ))}
    </div>
  )
}
