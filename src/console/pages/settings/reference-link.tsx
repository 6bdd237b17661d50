import { GuideLink } from '../../parts/guide-link'
import { t } from '../../texts/texts'

/** What the API reference of a group of operations is called at its address. */
const PARTS = {
  keys: '/docs/reference/api-keys',
  webhooks: '/docs/reference/webhooks',
} as const

/** Leads to the operations of the API that do the same as a screen. */
export const ReferenceLink = ({ part }: { part: keyof typeof PARTS }) => (
  <p className="muted reference-link">
    {t('settings.reference')} <GuideLink href={PARTS[part]} />
  </p>
)
