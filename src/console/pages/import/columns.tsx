import type { Data } from '../../api/client'
import { SearchSelect } from '../../parts/search-select'
import { Trouble } from '../../parts/state'
import { findText, t } from '../../texts/texts'

type Fields = Data<'GET /api/import/{table}/config'>['columns']
type FileColumns = Data<'POST /api/import/{table}/preview'>['columns']
/** Which column each heading of the file is; `null` if it is left out. */
export type Keys = Record<string, string | null>

const SKIP = 'skip'

/** The word for a field of a contact. */
export const labelOf = (fields: Fields, key: string): string =>
  LABELS[key]?.() ??
  findText(`contact.field.${key}`) ??
  fields.find((one) => one.key === key)?.label ??
  key

const LABELS: Partial<Record<string, () => string>> = {
  phone_number: () => t('contacts.number'),
  name: () => t('contact.name'),
  user_id: () => t('import.columns.user-id'),
  tags: () => t('inbox.tags.title'),
  assigned_to: () => t('contacts.owner'),
  marketing_consent: () => t('inbox.panel.consent'),
  language: () => t('filter.fields.language'),
}

/** Returns why a file with these headings cannot be imported so, or `null`. */
export function problemOfColumns(
  fields: Fields,
  keys: Keys,
  headings: readonly string[],
): string | null {
  const same = headings.find((one, nth) => headings.indexOf(one) < nth && (keys[one] ?? null))
  if (same !== undefined) return t('import.columns.same-name', { name: same })
  const used = Object.values(keys).filter((key) => key !== null)
  const twice = used.find((key, nth) => used.indexOf(key) < nth)
  if (twice !== undefined) return t('import.columns.twice', { name: labelOf(fields, twice) })
  return used.includes('phone_number') || used.includes('user_id')
    ? null
    : t('import.columns.no-phone')
}

interface Props {
  columns: FileColumns
  fields: Fields
  keys: Keys
  problem: string | null
  onChange: (keys: Keys) => void
}

/** The columns of a file, what they were taken for, and examples of each. */
export function Columns({ columns, fields, keys, problem, onChange }: Props) {
  const choices = [
    { id: SKIP, label: t('import.columns.skip') },
    ...fields.map(({ key }) => ({ id: key, label: labelOf(fields, key) })),
  ]
  return (
    <>
      <p className="muted">{t('import.columns.hint')}</p>
      <div className="import-columns">
        {columns.map(({ header, examples }, nth) => (
          <div key={`${nth} ${header}`} className="import-column">
            <SearchSelect
              label={header}
              choices={choices}
              value={keys[header] ?? SKIP}
              onChange={(id) => {
                onChange({ ...keys, [header]: id === SKIP ? null : id })
              }}
            />
            <p className="muted small">
              {examples.length > 0 &&
                t('import.columns.examples', { examples: examples.join(' · ') })}
            </p>
          </div>
        ))}
      </div>
      {problem !== null && <Trouble>{problem}</Trouble>}
    </>
  )
}
