import type { PermissionKey } from '../../../api/shapes'
import { useMe } from '../../../live/me'
import { Section } from '../../../parts/page'
import { t } from '../../../texts/texts'
import { seenWith } from './permissions'

/** What people with these permissions see. */
export function Seen({ permissions }: { permissions: readonly PermissionKey[] }) {
  const isMasked = useMe().organization.settings.mask_phone_numbers
  return (
    <Section title={t('settings.roles.sees')} hint={t('settings.roles.sees-hint')}>
      <ul className="sentences">
        {seenWith(permissions, isMasked).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Section>
  )
}
