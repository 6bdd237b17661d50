import { useState, type ComponentProps } from 'react'

import { Button } from './button'
import { report } from './toast'

interface Props extends Omit<ComponentProps<typeof Button>, 'isPending' | 'onPress'> {
  /** What a press begins. Until it is done, the button shows that it works; why it failed is told. */
  onWork: () => Promise<unknown>
}

/** A button whose work takes a while. */
export function WorkButton({ onWork, ...props }: Props) {
  const [isBusy, setBusy] = useState(false)
  return (
    <Button
      {...props}
      isPending={isBusy}
      onPress={() => {
        setBusy(true)
        onWork()
          .catch(report)
          .finally(() => {
            setBusy(false)
          })
      }}
    />
  )
}
