import type { ReactNode } from 'react'
import {
  Button as AriaButton,
  Tooltip,
  TooltipTrigger,
  type ButtonProps,
} from 'react-aria-components'

import { Icon, type IconName } from './icons'

type Look = 'primary' | 'plain' | 'danger' | 'quiet'

interface Props extends Omit<ButtonProps, 'className' | 'children'> {
  look?: Look
  icon?: IconName
  children?: ReactNode
}

/** A button with a word. `primary` is the one action of a screen. */
export function Button({ look = 'plain', icon, children, ...props }: Props) {
  return (
    <AriaButton {...props} className={`button ${look}`}>
      {icon && <Icon name={icon} size={18} />}
      {children}
    </AriaButton>
  )
}

interface IconButtonProps extends Omit<ButtonProps, 'className' | 'children' | 'aria-label'> {
  icon: IconName
  /** Read by screen readers and shown in a tooltip. */
  label: string
  /** A key that does the same, shown in the tooltip. */
  shortcut?: string
  look?: 'quiet' | 'primary'
  size?: number
}

/** A button that is only an icon, with its label as a tooltip. */
export function IconButton({
  icon,
  label,
  shortcut,
  look = 'quiet',
  size = 20,
  ...props
}: IconButtonProps) {
  return (
    <TooltipTrigger delay={400} closeDelay={0}>
      <AriaButton {...props} aria-label={label} className={`icon-button ${look}`}>
        <Icon name={icon} size={size} />
      </AriaButton>
      <Tooltip className="tooltip" offset={6}>
        {label}
        {shortcut !== undefined && <kbd>{shortcut}</kbd>}
      </Tooltip>
    </TooltipTrigger>
  )
}

/** A button whose look comes from its class and its content. */
export const PlainButton = AriaButton
