import { useMe } from '../../../live/me'
import type { PermissionKey } from '../../../api/shapes'
import { Checkbox } from '../../../parts/choice'
import { Icon } from '../../../parts/icons'
import { sentenceOfPermission } from '../../../parts/permission-sentence'
import { t } from '../../../texts/texts'
import { inAreas } from './permissions'

/** A role that another one is compared with. */
export interface Compared {
  title: string
  permissions: readonly PermissionKey[]
}

interface Props {
  /** All permissions there are. */
  all: readonly PermissionKey[]
  held: readonly PermissionKey[]
  compared: readonly Compared[]
  /** The role whose differences are marked. */
  base?: Compared | null
  /** Absent if the role cannot be changed. */
  onChange?: (held: PermissionKey[]) => void
}

/** Whether a role may do something, also without seeing the sign. */
const Tick = ({ isHeld }: { isHeld: boolean }) =>
  isHeld ? (
    <>
      <Icon name="check" size={16} />
      <span className="visually-hidden">{t('settings.roles.may')}</span>
    </>
  ) : (
    <span className="visually-hidden">{t('settings.roles.may-not')}</span>
  )

/** What a role may do, a sentence in a row, beside what other roles may do. */
export function Matrix({ all, held, compared, base = null, onChange }: Props) {
  const { permissions: own } = useMe()
  const has = new Set(held)
  const isChanged = (permission: PermissionKey): boolean =>
    base !== null && base.permissions.includes(permission) !== has.has(permission)
  const cell = (permission: PermissionKey) => {
    const sentence = sentenceOfPermission(permission)
    if (!onChange)
      return (
        <span className="matrix-fact">
          <Tick isHeld={has.has(permission)} />
          {sentence}
        </span>
      )
    return (
      <Checkbox
        isSelected={has.has(permission)}
        // nobody gives what they do not have
        isDisabled={!own.includes(permission)}
        onChange={(isOn) => {
          onChange(all.filter((one) => (one === permission ? isOn : has.has(one))))
        }}
      >
        {sentence}
      </Checkbox>
    )
  }
  return (
    <table className="matrix">
      <thead>
        <tr>
          <th scope="col">{t('settings.roles.may-do')}</th>
          {compared.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      {inAreas(all).map(({ title, permissions }) => (
        <tbody key={title}>
          <tr className="matrix-area">
            <th scope="rowgroup" colSpan={compared.length + 1}>
              {title}
            </th>
          </tr>
          {permissions.map((permission) => (
            <tr key={permission}>
              <th scope="row">
                <span className="matrix-cell">
                  {cell(permission)}
                  {isChanged(permission) && (
                    <span className={has.has(permission) ? 'chip good' : 'chip warn'}>
                      {t(has.has(permission) ? 'settings.roles.added' : 'settings.roles.taken')}
                    </span>
                  )}
                </span>
              </th>
              {compared.map(({ title: of, permissions: theirs }) => (
                <td key={of}>
                  <Tick isHeld={theirs.includes(permission)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  )
}
