import { t } from '../texts/texts'
import { TextField } from './field'

/** What a campaign may cost. */
export interface BudgetAmount {
  /** A decimal number, as it is written. */
  amount: string
  currency: string
}

interface Props {
  /** The currency in which its messages are paid. */
  currency: string
  value: BudgetAmount | null
  /** Is told `null` when the field is emptied. */
  onChange: (value: BudgetAmount | null) => void
}

/** A field for what a campaign may cost at most. */
export function BudgetField({ currency, value, onChange }: Props) {
  return (
    <TextField
      name="budget.amount"
      label={t('campaigns.budget', { currency })}
      hint={t('campaigns.budget-hint')}
      inputMode="decimal"
      value={value?.amount ?? ''}
      onChange={(text) => {
        const amount = text.replace(',', '.').replaceAll(/[^\d.]/g, '')
        onChange(amount === '' ? null : { amount, currency })
      }}
    />
  )
}
