import type { ReactNode } from 'react'
import {
  Dialog,
  DialogTrigger,
  Popover as AriaPopover,
  type PopoverProps,
} from 'react-aria-components'

interface Props {
  button: ReactNode
  label: string
  placement?: PopoverProps['placement']
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
  children: ReactNode | ((close: () => void) => ReactNode)
}

/** A button with a small window beside it. */
export function Popover({
  button,
  label,
  placement = 'bottom end',
  isOpen,
  onOpenChange,
  children,
}: Props) {
  return (
    <DialogTrigger
      {...(isOpen === undefined ? {} : { isOpen })}
      {...(onOpenChange ? { onOpenChange } : {})}
    >
      {button}
      <AriaPopover className="popover" placement={placement} offset={6}>
        <Dialog aria-label={label} className="popover-dialog">
          {({ close }) => (typeof children === 'function' ? children(close) : children)}
        </Dialog>
      </AriaPopover>
    </DialogTrigger>
  )
}
