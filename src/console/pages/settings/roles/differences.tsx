import type { PermissionKey } from '../../../api/shapes'
import { Section } from '../../../parts/page'
import { sentenceOfPermission } from '../../../parts/permission-sentence'
import { t } from '../../../texts/texts'
import { differencesOf } from './permissions'
import type { Compared } from './matrix'

interface Props {
  held: readonly PermissionKey[]
  /** The role that it began as, or of the system the one that is most like it. */
  base: Compared
}

/** What a role may do more and less than the one that it began as, in sentences. */
export function Differences({ held, base }: Props) {
  const { more, less } = differencesOf(held, base.permissions)
  const role = base.title
  return (
    <Section
      title={t('settings.roles.differs', { role })}
      hint={t(
        more.length + less.length === 0 ? 'settings.roles.same' : 'settings.roles.differs-hint',
      )}
    >
      <Sentences title={t('settings.roles.more')} permissions={more} />
      <Sentences title={t('settings.roles.less')} permissions={less} />
    </Section>
  )
}

function Sentences({
  title,
  permissions,
}: {
  title: string
  permissions: readonly PermissionKey[]
}) {
  if (permissions.length === 0) return null
  return (
    <div className="differences">
      <h3>{title}</h3>
      <ul className="sentences">
        {permissions.map((permission) => (
          <li key={permission}>{sentenceOfPermission(permission)}</li>
        ))}
      </ul>
    </div>
  )
}
