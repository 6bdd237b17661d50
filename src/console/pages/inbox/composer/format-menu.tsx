import { IconButton } from '../../../parts/button'
import { Menu, MenuItem } from '../../../parts/menu'
import { t } from '../../../texts/texts'
import { MARKS, type Mark } from './marks'

/** Marks the selected words. */
export const FormatMenu = ({ onMark }: { onMark: (mark: Mark) => void }) => (
  <Menu
    label={t('inbox.format.title')}
    placement="top start"
    button={<IconButton icon="bold" label={t('inbox.format.title')} />}
  >
    {(Object.keys(MARKS) as Mark[]).map((mark) => (
      <MenuItem
        key={mark}
        id={mark}
        label={t(`inbox.format.${mark}`)}
        shortcut={MARKS[mark].shortcut}
        onAction={() => {
          onMark(mark)
        }}
      />
    ))}
  </Menu>
)
