import type { Module } from '../../http/module'

export const membershipsModule: Module = {
  name: 'memberships',
}
