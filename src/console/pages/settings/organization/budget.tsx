import type { Me } from '../../../api/shapes'
import { Switch } from '../../../parts/choice'
import { TextField } from '../../../parts/field'
import { Section } from '../../../parts/page'
import { SearchSelect } from '../../../parts/search-select'
import { Select } from '../../../parts/select'
import { formatCurrency } from '../../../texts/format'
import { currencies } from '../../../texts/places'
import { t } from '../../../texts/texts'
import type { PartProps } from './organization'

type Spend = NonNullable<Me['organization']['settings']['spend']>

const AT_LIMIT = ['warn', 'stop_marketing', 'stop_bots'] as const
/** What a budget begins with. */
const USUAL: Spend = { monthly: '100', currency: 'EUR', warn_at: [50, 80, 100], at_limit: 'warn' }

/** Returns the percentages that somebody wrote, in their order. */
const percentagesIn = (text: string): number[] =>
  [...new Set((text.match(/\d+/g) ?? []).map(Number))].toSorted((one, other) => one - other)

/** The fields of a budget that is set. */
function BudgetFields({ spend, set }: { spend: Spend; set: (spend: Spend) => void }) {
  return (
    <>
      <div className="fields">
        <TextField
          name="spend.monthly"
          label={t('settings.budget.monthly')}
          inputMode="decimal"
          isRequired
          value={spend.monthly}
          onChange={(monthly) => {
            set({ ...spend, monthly: monthly.replace(',', '.').replaceAll(/[^\d.]/g, '') })
          }}
        />
        <SearchSelect
          label={t('settings.budget.currency')}
          choices={currencies().map((id) => ({ id, label: formatCurrency(id) }))}
          value={spend.currency}
          onChange={(currency) => {
            set({ ...spend, currency })
          }}
        />
      </div>
      <TextField
        name="spend.warn_at"
        label={t('settings.budget.warn')}
        hint={t('settings.budget.warn-hint')}
        defaultValue={spend.warn_at.join(', ')}
        onChange={(text) => {
          set({ ...spend, warn_at: percentagesIn(text) })
        }}
      />
      <Select
        label={t('settings.budget.at-limit')}
        choices={AT_LIMIT.map((id) => ({ id, label: t(`settings.budget.at-limit.${id}`) }))}
        value={spend.at_limit}
        onChange={(limit) => {
          set({ ...spend, at_limit: limit })
        }}
      />
    </>
  )
}

/** What messages may cost in a month. */
export function Budget({ draft: { value, set } }: PartProps) {
  const { spend } = value
  return (
    <Section title={t('settings.budget.title')} hint={t('settings.budget.hint')}>
      <div className="form">
        <Switch
          isSelected={spend !== null}
          onChange={(isOn) => {
            set({ spend: isOn ? USUAL : null })
          }}
        >
          {t('settings.budget.on')}
        </Switch>
        {spend && (
          <BudgetFields
            spend={spend}
            set={(next) => {
              set({ spend: next })
            }}
          />
        )}
      </div>
    </Section>
  )
}
