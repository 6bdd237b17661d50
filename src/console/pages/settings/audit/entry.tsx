import { Link } from '@tanstack/react-router'

import type { AuditEntry } from '../../../api/shapes'
import { Dialog } from '../../../parts/dialog'
import { formatDateTime } from '../../../texts/format'
import { t } from '../../../texts/texts'
import {
  differencesOf,
  nameOfAction,
  nameOfActor,
  nameOfResource,
  screenOf,
  type Names,
} from './words'

/** The thing that was changed: its kind and name, as a link if it has a screen. */
export function Thing({ entry }: { entry: AuditEntry }) {
  const kind = nameOfResource(entry.resource_type)
  const to = screenOf(entry)
  const name = entry.resource_name === null ? kind : `${kind}: ${entry.resource_name}`
  return to === null ? <bdi>{name}</bdi> : <Link to={to}>{<bdi>{name}</bdi>}</Link>
}

interface Props {
  entry: AuditEntry
  names: Names
  onClose: () => void
}

/** An entry with all that is known of it: each field before and after. */
export function Entry({ entry, names, onClose }: Props) {
  const differences = differencesOf(entry, names)
  const facts = [
    [t('settings.audit.when'), formatDateTime(entry.created_at)],
    [t('settings.audit.who'), nameOfActor(entry)],
    [t('settings.audit.what'), <Thing key="thing" entry={entry} />],
    [t('settings.audit.address'), entry.ip_address],
    [t('settings.audit.device'), entry.user_agent],
    [t('settings.audit.request'), entry.request_id],
  ] as const
  return (
    <Dialog title={nameOfAction(entry.action)} size="large" isOpen onClose={onClose}>
      <dl className="audit-facts">
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt className="muted small">{name}</dt>
                <dd dir="auto">{value}</dd>
              </div>
            ),
        )}
      </dl>
      {differences.length === 0 ? (
        <p className="muted">{t('settings.audit.no-fields')}</p>
      ) : (
        <div
          className="audit-changes"
          role="region"
          aria-label={t('settings.audit.changes')}
          tabIndex={0}
        >
          <table>
            <thead>
              <tr>
                <th scope="col">{t('settings.audit.field')}</th>
                <th scope="col">{t('settings.audit.before')}</th>
                <th scope="col">{t('settings.audit.after')}</th>
              </tr>
            </thead>
            <tbody>
              {differences.map(({ field, before, after }) => (
                <tr key={field}>
                  <th scope="row">{field}</th>
                  <td>{before === null ? '–' : <del dir="auto">{before}</del>}</td>
                  <td>
                    <ins dir="auto">{after}</ins>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Dialog>
  )
}
