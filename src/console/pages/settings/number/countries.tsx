import { Button, IconButton } from '../../../parts/button'
import { SearchSelect } from '../../../parts/search-select'
import { formatCountry } from '../../../texts/format'
import { countries as allCountries } from '../../../texts/places'
import { t } from '../../../texts/texts'

interface Props {
  /** None for everywhere. */
  countries: readonly string[]
  onChange: (countries: string[]) => void
}

/** Countries in which something is offered; everywhere while none is chosen. */
export function Countries({ countries, onChange }: Props) {
  return (
    <div className="field">
      <SearchSelect
        label={t('number.calling.countries')}
        hint={t('number.calling.countries-hint')}
        choices={allCountries()
          .filter((id) => !countries.includes(id))
          .map((id) => ({ id, label: formatCountry(id) }))}
        value={null}
        chosen={t(countries.length === 0 ? 'number.calling.everywhere' : 'number.calling.add')}
        onChange={(id) => {
          onChange([...countries, id].toSorted())
        }}
      />
      {countries.length > 0 && (
        <div className="chips">
          {countries.map((id) => (
            <span key={id} className="chip">
              {formatCountry(id)}
              <IconButton
                icon="close"
                size={14}
                label={t('number.calling.remove-country', { country: formatCountry(id) })}
                onPress={() => {
                  onChange(countries.filter((one) => one !== id))
                }}
              />
            </span>
          ))}
          <Button
            look="quiet"
            onPress={() => {
              onChange([])
            }}
          >
            {t('number.calling.everywhere')}
          </Button>
        </div>
      )}
    </div>
  )
}
