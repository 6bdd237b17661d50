import { Link } from '@tanstack/react-router'

import type { Contact, Duplicate } from '../../api/shapes'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { nameOf } from '../../parts/contact/name'
import { useCustomFields } from '../../parts/filter/fields'
import { t } from '../../texts/texts'
import { differencesOf } from './differences'

interface Props {
  pair: Duplicate
  /** Keeps the first contact, into which the second one goes. */
  onKeep: (kept: Contact, other: Contact) => void
}

/** Two contacts side by side: why they may be one person, and in what they differ. */
export function Pair({ pair: { contacts, reason }, onKeep }: Props) {
  const own = useCustomFields().data?.items ?? []
  const [one, other] = contacts
  if (!one || !other) return null
  const sides = [
    { side: one, against: other },
    { side: other, against: one },
  ]
  const differences = differencesOf(one, other, own)
  return (
    <section className="section" aria-label={t('records.duplicates.pair')}>
      <p>{t(`records.duplicates.reason.${reason}`)}</p>
      <table className="pair">
        <thead>
          <tr>
            <td />
            {sides.map(({ side }) => (
              <th key={side.id} scope="col">
                <span className="named">
                  <Avatar name={side.display_name} />
                  <Link to="/contacts/$contactId" params={{ contactId: side.id }} dir="auto">
                    {nameOf(side)}
                  </Link>
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {differences.map(({ field, values }) => (
            <tr key={field}>
              <th scope="row" className="muted">
                {field}
              </th>
              {values.map((value, nth) => (
                <td key={nth}>
                  {value === null ? (
                    <span className="muted">{t('parts.merge.empty')}</span>
                  ) : (
                    <bdi>{value}</bdi>
                  )}
                </td>
              ))}
            </tr>
          ))}
          <tr>
            <td />
            {sides.map(({ side, against }) => (
              <td key={side.id}>
                <Button
                  aria-label={t('records.duplicates.keep-named', { name: nameOf(side) })}
                  onPress={() => {
                    onKeep(side, against)
                  }}
                >
                  {t('records.duplicates.keep')}
                </Button>
              </td>
            ))}
          </tr>
        </tbody>
      </table>
      <p className="muted small">{t('records.duplicates.what-happens')}</p>
    </section>
  )
}
