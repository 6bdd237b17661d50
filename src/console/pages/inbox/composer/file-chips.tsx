import { IconButton } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { formatBytes } from '../../../texts/format'
import { t } from '../../../texts/texts'

/** The files that are sent with the message. */
export function FileChips({
  files,
  onChange,
}: {
  files: readonly File[]
  onChange: (files: readonly File[]) => void
}) {
  if (files.length === 0) return null
  return (
    <ul className="file-chips">
      {files.map((file, index) => (
        <li key={`${index} ${file.name}`} className="chip">
          <Icon name="file" size={14} />
          <bdi>{file.name}</bdi>
          <span className="muted">{formatBytes(file.size)}</span>
          <IconButton
            icon="close"
            size={14}
            label={t('parts.action.remove', { name: file.name })}
            onPress={() => {
              onChange(files.filter((one) => one !== file))
            }}
          />
        </li>
      ))}
    </ul>
  )
}
