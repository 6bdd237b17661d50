import type { Module } from '../../http/module'

export const usersModule: Module = {
  name: 'users',
}
