import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import type { Template } from '../../api/shapes'
import { Button } from '../../parts/button'
import { nameOf } from '../../parts/contact/name'
import { Icon } from '../../parts/icons'
import { Loaded } from '../../parts/loaded'
import { report } from '../../parts/toast'
import { formatCountry, formatDuration, formatMoney, formatNumber } from '../../texts/format'
import { findText, t } from '../../texts/texts'
import type { DryRun } from './use-dry-run'

interface Props {
  result: UseQueryResult<DryRun>
  template: Template | null
  /** Whether nobody lacks a value, or a person agreed to leave them out. */
  isAgreed: boolean
  onAgree: () => void
  /** Leads to where values are bound. */
  onMend: () => void
}

/** What will happen: who gets it, who does not and why, what it costs and how long it takes. */
export function CheckStep({ result, template, ...answers }: Props) {
  return (
    <Loaded result={result}>
      {(found) => (
        <div className="wizard-check" aria-busy={result.isFetching}>
          <Facts found={found} />
          <Warnings found={found} template={template} />
          <Lacking found={found} {...answers} />
          <LeftOut found={found} />
          <Countries found={found} />
          <p>
            <Button
              look="quiet"
              icon="refresh"
              isPending={result.isFetching}
              onPress={() => {
                result.refetch().catch(report)
              }}
            >
              {t('wizard.check.again')}
            </Button>
          </p>
        </div>
      )}
    </Loaded>
  )
}

/** People who lack a value and are named. */
const MOST_NAMED = 20
const SECOND_MS = 1_000
const MINUTE_S = 60

const durationOf = ({ estimated_duration_s: seconds }: DryRun): string =>
  seconds < MINUTE_S ? t('wizard.check.soon') : formatDuration(seconds * SECOND_MS)

/** Returns what a campaign costs in words. */
export const costOf = ({ estimated_cost: cost, currency }: DryRun): string =>
  cost === null || currency === null
    ? t('wizard.check.no-price')
    : formatMoney(Number(cost), currency)

function Facts({ found }: { found: DryRun }) {
  const out = Object.values(found.excluded).reduce((sum, count) => sum + count, 0)
  const facts = [
    ['reach', formatNumber(found.eligible)],
    ['out', formatNumber(out)],
    ['cost', costOf(found)],
    ['takes', durationOf(found)],
    ...(found.quota.remaining === null
      ? []
      : [['quota', formatNumber(found.quota.remaining)] as const]),
  ] as const
  return (
    <dl className="campaign-facts wizard-facts">
      {facts.map(([name, value]) => (
        <div key={name} data-fact={name}>
          <dt className="muted">{t(`wizard.check.${name}`)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What would stop the campaign or make it slow. */
function Warnings({ found, template }: { found: DryRun; template: Template | null }) {
  const { eligible, quota, thread_not_ours: others } = found
  const warnings = [
    eligible === 0 && t('wizard.warn.nobody'),
    template?.status === 'PENDING' && t('wizard.warn.review'),
    quota.remaining !== null &&
      eligible > quota.remaining &&
      t('wizard.warn.quota', { count: quota.remaining }),
    others > 0 && t('wizard.warn.others', { count: others }),
  ].filter((words) => words !== false)
  if (warnings.length === 0) return null
  return (
    <ul className="wizard-warnings">
      {warnings.map((words) => (
        <li key={words} className="wizard-good">
          <Icon name="warning" size={16} /> {words}
        </li>
      ))}
    </ul>
  )
}

interface Somebody {
  contact_id: string | null
  name: string | null
}

const wordFor = ({ name }: Somebody): string =>
  name === null ? t('campaigns.nameless') : nameOf({ display_name: name, phone_number: null })

const Name = ({ person }: { person: Somebody }) =>
  person.contact_id === null ? (
    <bdi>{wordFor(person)}</bdi>
  ) : (
    <Link to="/contacts/$contactId" params={{ contactId: person.contact_id }} dir="auto">
      {wordFor(person)}
    </Link>
  )

/** Those who lack a value of the message, and what can be done about it. */
function Lacking({
  found,
  isAgreed,
  onAgree,
  onMend,
}: Pick<Props, 'isAgreed' | 'onAgree' | 'onMend'> & { found: DryRun }) {
  const count = found.excluded['missing_params'] ?? 0
  const people = found.missing_params.slice(0, MOST_NAMED)
  if (count === 0) return null
  return (
    <section className="wizard-lacking" aria-label={t('wizard.lacking.title', { count })}>
      <h3>{t('wizard.lacking.title', { count })}</h3>
      <ul className="wizard-names">
        {people.map((person, nth) => (
          <li key={person.recipient_id ?? person.contact_id ?? nth}>
            <Name person={person} />
          </li>
        ))}
        {count > people.length && <li>{t('wizard.more', { count: count - people.length })}</li>}
      </ul>
      {isAgreed ? (
        <p role="status" className="wizard-good">
          <Icon name="check" size={16} /> {t('wizard.lacking.left-out')}
        </p>
      ) : (
        <p>{t('wizard.lacking.question')}</p>
      )}
      <footer className="actions">
        <Button look="quiet" onPress={onMend}>
          {t('wizard.lacking.mend')}
        </Button>
        {!isAgreed && <Button onPress={onAgree}>{t('wizard.lacking.leave', { count })}</Button>}
      </footer>
    </section>
  )
}

/** Who else is left out, by reason. */
function LeftOut({ found: { excluded, left_out: people } }: { found: DryRun }) {
  const reasons = Object.entries(excluded).filter(([reason]) => reason !== 'missing_params')
  if (reasons.length === 0) return null
  return (
    <section aria-label={t('wizard.check.out')}>
      <h3>{t('wizard.check.out')}</h3>
      <dl className="wizard-reasons">
        {reasons.map(([reason, count]) => {
          const named = people.filter((one) => one.reason === reason)
          return (
            <div key={reason}>
              <dt>
                <b>{formatNumber(count)}</b> {findText(`campaigns.skipped.${reason}`) ?? reason}
              </dt>
              <dd>
                <ul className="wizard-names small">
                  {named.map((person, nth) => (
                    <li key={person.recipient_id ?? person.contact_id ?? nth}>
                      <Name person={person} />
                    </li>
                  ))}
                  {count > named.length && (
                    <li className="muted">{t('wizard.more', { count: count - named.length })}</li>
                  )}
                </ul>
              </dd>
            </div>
          )
        })}
      </dl>
    </section>
  )
}

/** The people and the cost of each country, if there are several. */
function Countries({ found: { by_country: countries, currency } }: { found: DryRun }) {
  if (countries.length < 2) return null
  return (
    <details>
      <summary>{t('wizard.check.countries', { count: countries.length })}</summary>
      <table className="wizard-countries">
        <tbody>
          {countries.map(({ country, count, cost }) => (
            <tr key={country ?? ''}>
              <th scope="row">
                {country === null ? t('wizard.check.elsewhere') : formatCountry(country)}
              </th>
              <td>{formatNumber(count)}</td>
              <td>
                {cost === null || currency === null
                  ? t('wizard.check.no-price')
                  : formatMoney(Number(cost), currency)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
