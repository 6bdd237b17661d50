import { Link } from '@tanstack/react-router'

import type { Account } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useNow } from '../../../live/use-now'
import { Button } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { formatDateTime } from '../../../texts/format'
import { findText, t } from '../../../texts/texts'
import { META_PAGES, MetaLink } from '../signup/meta-link'
import { troublesOf, type NumberTrouble, type Remedy } from './troubles'

const MINUTE_MS = 60_000

/** What the buttons of the list do. */
export interface Remedies {
  onTest: () => void
  onSetup: () => void
  onReceive: () => void
  onResume: () => void
  onTemplates: () => void
}

interface Props extends Remedies {
  account: Account
  isStandby: boolean
}

/** Returns what the server said, in the language of the person if it is known there. */
const reasonOf = ({ said }: NumberTrouble): string | null =>
  said
    ? (findText(`number.reason.${said.code}`) ??
      said.message.replaceAll(/\b[Tt]he platform\b/g, 'WhatsApp').replaceAll('`', ''))
    : null

function Help({ remedy, account, ...on }: Remedies & { remedy: Remedy; account: Account }) {
  const canEdit = useCan('accounts:update')
  const canSync = useCan('templates:sync')
  if (remedy === 'manager')
    return <MetaLink href={META_PAGES.manager}>{t('number.remedy.manager')}</MetaLink>
  if (remedy === 'templates')
    return canSync && <Button onPress={on.onTemplates}>{t('settings.numbers.sync')}</Button>
  if (!canEdit) return null
  if (remedy === 'access')
    return (
      <Link
        className="button plain"
        to="/settings/numbers/$numberId/connection"
        params={{ numberId: account.id }}
        search={{}}
      >
        {t('number.remedy.access')}
      </Link>
    )
  if (remedy === 'billing')
    return (
      <>
        <MetaLink href={account.funding.billing_url}>{t('signup.payment.page')}</MetaLink>
        <Button onPress={on.onResume}>{t('signup.payment.submit')}</Button>
      </>
    )
  const press = { test: on.onTest, setup: on.onSetup, receive: on.onReceive }[remedy]
  return <Button onPress={press}>{t(`number.remedy.${remedy}`)}</Button>
}

/** What is wrong with a number, why, and what to do about it. Nothing if all is well. */
export function TroubleList({ account, isStandby, ...on }: Props) {
  const nowMs = useNow(MINUTE_MS)
  const troubles = troublesOf(account, { nowMs, isStandby })
  if (troubles.length === 0) return null
  return (
    <ul className="number-troubles" aria-label={t('number.troubles')}>
      {troubles.map((trouble) => {
        const { key, remedy, at } = trouble
        const reason = reasonOf(trouble)
        return (
          <li key={key} className="number-trouble">
            <Icon name="warning" />
            <div className="grow">
              <p className="item-name">
                {at
                  ? t(`number.trouble.${key}`, { time: formatDateTime(at) })
                  : t(`number.trouble.${key}`, { time: t('number.unknown-time') })}
              </p>
              {reason !== null && <p dir="auto">{reason}</p>}
              <p className="muted">{t(`number.trouble.${key}-do`)}</p>
            </div>
            {remedy !== null && (
              <div className="setup-actions">
                <Help remedy={remedy} account={account} {...on} />
              </div>
            )}
          </li>
        )
      })}
    </ul>
  )
}
