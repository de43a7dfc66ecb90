<?php

namespace App;

use RuntimeException;

/** Decide by `reason`: one of the API, or `invalid_fields`, `connection_failed` or `unexpected_response`. */
class SixdigitException extends RuntimeException
{
    public function __construct(
        public readonly string $reason,
        public readonly int $status = 0,
        public readonly array $facts = [],
        public readonly ?int $retryAfter = null,
    ) {
        parent::__construct("Sixdigit: $reason ($status)");
    }
}
