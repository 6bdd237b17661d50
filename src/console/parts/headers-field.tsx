import { Button, IconButton } from './button'
import { TextField } from './field'
import { t } from '../texts/texts'

/** A header that a request carries. */
export interface Header {
  name: string
  value: string
}

/** What the server says instead of a value, and takes for the one that is stored. */
const HIDDEN = '***'

/** Headers that the API takes. */
const MOST_HEADERS = 20

/** Returns the headers that the server tells, without their values. */
export const headersIn = (headers: Record<string, string>): Header[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

/** Returns headers as the API takes them. */
export const headersOf = (headers: readonly Header[]): Record<string, string> =>
  Object.fromEntries(
    headers.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
  )

interface Props {
  headers: readonly Header[]
  onChange: (headers: Header[]) => void
  /** Where the headers are in the body of the API, for errors at their field. */
  path: string
}

/** The headers of each request. Values are never shown again: what is not written over stays. */
export function HeadersField({ headers, onChange, path }: Props) {
  const change = (index: number, changes: Partial<Header>): void => {
    onChange(headers.map((one, at) => (at === index ? { ...one, ...changes } : one)))
  }
  return (
    <div className="form">
      <div>
        <h3>{t('webhooks.headers')}</h3>
        <p className="muted small">{t('webhooks.headers-hint')}</p>
      </div>
      {headers.map(({ name, value: text }, index) => (
        <div key={index} className="header-row">
          <TextField
            label={t('webhooks.header.name')}
            value={name}
            onChange={(next) => {
              change(index, { name: next })
            }}
            maxLength={100}
          />
          <TextField
            name={`${path}.${name.trim()}`}
            label={t('webhooks.header.value')}
            autoComplete="off"
            value={text === HIDDEN ? '' : text}
            placeholder={text === HIDDEN ? t('webhooks.header.kept') : ''}
            onChange={(next) => {
              change(index, { value: next })
            }}
            maxLength={1_024}
          />
          <IconButton
            icon="close"
            label={t('parts.action.remove', { name: name || t('webhooks.header.name') })}
            onPress={() => {
              onChange(headers.filter((_, at) => at !== index))
            }}
          />
        </div>
      ))}
      {headers.length < MOST_HEADERS && (
        <div>
          <Button
            icon="plus"
            onPress={() => {
              onChange([...headers, { name: '', value: '' }])
            }}
          >
            {t('webhooks.header.add')}
          </Button>
        </div>
      )}
    </div>
  )
}
