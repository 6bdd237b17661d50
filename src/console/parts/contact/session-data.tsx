import { useApi } from '../../live/query'
import { t } from '../../texts/texts'
import { Loaded } from '../loaded'

interface Field {
  key: string
  label: string
}

/** Returns the fields that a flow shows in the panel, of a configuration that the server checked. */
const fieldsIn = (sections: readonly unknown[]): Field[] =>
  sections.flatMap((section) => (section as { fields?: Field[] }).fields ?? [])

const wordsOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

/** What the bot has learned in its talk with the contact. */
export function SessionData({ contactId }: { contactId: string }) {
  const result = useApi('GET /api/contacts/{id}/session-data', { params: { id: contactId } })
  return (
    <Loaded result={result} rows={2}>
      {({ session_data: data, panel_config: panel, flow_name: flow }) => {
        const known = data ?? {}
        const chosen = fieldsIn(panel?.sections ?? [])
        const fields =
          chosen.length > 0 ? chosen : Object.keys(known).map((key) => ({ key, label: key }))
        if (flow === null && fields.length === 0)
          return <p className="muted small">{t('parts.contact.no-session')}</p>
        return (
          <dl className="facts">
            {flow !== null && (
              <div>
                <dt className="muted">{t('parts.contact.flow')}</dt>
                <dd>
                  <bdi>{flow}</bdi>
                </dd>
              </div>
            )}
            {fields.map(({ key, label }) => (
              <div key={key}>
                <dt className="muted">
                  <bdi>{label}</bdi>
                </dt>
                <dd dir="auto">{wordsOf(known[key])}</dd>
              </div>
            ))}
          </dl>
        )
      }}
    </Loaded>
  )
}
