import { SearchSelect } from '../../parts/search-select'
import { Select } from '../../parts/select'
import { formatCountry } from '../../texts/format'
import { countries } from '../../texts/places'
import { t } from '../../texts/texts'

/** What is done with people who are contacts already, and with short numbers. */
export interface Choices {
  updates: boolean
  /** `null`: the country of the organization. */
  country: string | null
}

const OWN = 'organization'

/** Asks what is done with known people. */
export function Known({ value, onChange }: { value: Choices; onChange: (value: Choices) => void }) {
  return (
    <div className="form">
      <Select
        label={t('import.known.question')}
        choices={[
          { id: 'update', label: t('import.known.update') },
          { id: 'skip', label: t('import.known.skip') },
        ]}
        value={value.updates ? 'update' : 'skip'}
        onChange={(id) => {
          onChange({ ...value, updates: id === 'update' })
        }}
      />
      <SearchSelect
        label={t('import.known.country')}
        choices={[
          { id: OWN, label: t('import.known.organization') },
          ...countries().map((code) => ({ id: code, label: formatCountry(code) })),
        ]}
        value={value.country ?? OWN}
        onChange={(id) => {
          onChange({ ...value, country: id === OWN ? null : id })
        }}
      />
    </div>
  )
}
