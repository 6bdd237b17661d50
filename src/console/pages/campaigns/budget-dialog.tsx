import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { call } from '../../api/client'
import type { Campaign } from '../../api/shapes'
import { keyOf } from '../../live/query'
import { BudgetField } from '../../parts/budget-field'
import { FormDialog } from '../../parts/form-dialog'
import { t } from '../../texts/texts'

/** Changes what a paused campaign may cost, so that it can go on. */
export function BudgetDialog({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const client = useQueryClient()
  const [budget, setBudget] = useState(campaign.budget)
  const params = { id: campaign.id }
  return (
    <FormDialog
      title={t('campaigns.budget-change')}
      submit={t('parts.action.save')}
      onClose={onClose}
      onSave={async () => {
        const wish = { params, body: { budget }, ifMatch: campaign.updated_at }
        const changed = await call('PUT /api/campaigns/{id}', wish)
        client.setQueryData(keyOf('GET /api/campaigns/{id}', { params }), changed)
      }}
    >
      <BudgetField currency={campaign.budget?.currency ?? ''} value={budget} onChange={setBudget} />
    </FormDialog>
  )
}
