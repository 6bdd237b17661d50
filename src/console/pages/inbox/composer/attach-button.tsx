import { useRef } from 'react'

import { IconButton } from '../../../parts/button'
import { t } from '../../../texts/texts'

/** Chooses files of the device. */
export function AttachButton({ onFiles }: { onFiles: (files: FileList | null) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onFiles(currentTarget.files)
          currentTarget.value = ''
        }}
      />
      <IconButton
        icon="attach"
        label={t('inbox.composer.attach')}
        onPress={() => {
          input.current?.click()
        }}
      />
    </>
  )
}
