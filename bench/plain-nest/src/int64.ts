import { ValidateBy } from 'class-validator';

const MAX = 2n ** 63n - 1n;

export function IsInt64(minimum: bigint): PropertyDecorator {
  return ValidateBy({
    name: 'isInt64',
    validator: {
      validate: (value) => typeof value === 'bigint' && value >= minimum && value <= MAX,
      defaultMessage: () => `$property must be an integer from ${minimum} to ${MAX}`,
    },
  });
}
