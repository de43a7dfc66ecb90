<?php

// A minimal Laravel application around the sample, for PHP's own web server and Debian's packages of Laravel 8.

error_reporting(E_ALL & ~E_DEPRECATED);
ini_set('display_errors', 'stderr');
require 'Illuminate/autoload.php';
require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class) {
    $file = __DIR__.'/../app/'.str_replace(['App\\', '\\'], ['', '/'], $class).'.php';
    if (str_starts_with($class, 'App\\') && is_file($file)) {
        require $file;
    }
});

class Kernel extends Illuminate\Foundation\Http\Kernel
{
    protected $bootstrappers = [
        Illuminate\Foundation\Bootstrap\HandleExceptions::class,
        Illuminate\Foundation\Bootstrap\RegisterFacades::class,
        Illuminate\Foundation\Bootstrap\RegisterProviders::class,
        Illuminate\Foundation\Bootstrap\BootProviders::class,
    ];

    // As in a new application.
    protected $middleware = [
        Illuminate\Foundation\Http\Middleware\TrimStrings::class,
        Illuminate\Foundation\Http\Middleware\ConvertEmptyStringsToNull::class,
    ];

    protected $middlewareGroups = ['web' => [
        Illuminate\Cookie\Middleware\EncryptCookies::class,
        Illuminate\Cookie\Middleware\AddQueuedCookiesToResponse::class,
        Illuminate\Session\Middleware\StartSession::class,
        Illuminate\View\Middleware\ShareErrorsFromSession::class,
        Illuminate\Foundation\Http\Middleware\VerifyCsrfToken::class,
        Illuminate\Routing\Middleware\SubstituteBindings::class,
    ]];
}

$storage = getenv('STORAGE');
@mkdir("$storage/bootstrap/cache", recursive: true);
$app = new Illuminate\Foundation\Application($storage);
$app['env'] = 'production';
$app->instance('config', new Illuminate\Config\Repository([
    'app' => [
        'key' => 'base64:'.base64_encode(hash('sha256', 'a secret of the sessions', true)),
        'cipher' => 'AES-256-CBC',
        'debug' => false,
        'env' => 'production',
        'locale' => 'en',
        'providers' => [
            Illuminate\Cookie\CookieServiceProvider::class,
            Illuminate\Encryption\EncryptionServiceProvider::class,
            Illuminate\Filesystem\FilesystemServiceProvider::class,
            Illuminate\Foundation\Providers\FoundationServiceProvider::class,
            Illuminate\Session\SessionServiceProvider::class,
            Illuminate\View\ViewServiceProvider::class,
        ],
        'aliases' => [],
    ],
    'logging' => ['default' => 'errors', 'channels' => ['errors' => ['driver' => 'errorlog']]],
    'services' => ['sixdigit' => ['url' => getenv('SIXDIGIT_URL'), 'key' => getenv('SIXDIGIT_API_KEY')]],
    'session' => [
        'driver' => 'file',
        'files' => $storage,
        'lifetime' => 120,
        'expire_on_close' => false,
        'encrypt' => false,
        'lottery' => [0, 100],
        'cookie' => 'session',
        'path' => '/',
        'domain' => null,
        'secure' => false,
        'http_only' => true,
        'same_site' => 'lax',
    ],
    'view' => ['paths' => [dirname(__DIR__).'/resources/views'], 'compiled' => $storage],
]));
$app->singleton(Illuminate\Contracts\Http\Kernel::class, Kernel::class);
$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, Illuminate\Foundation\Exceptions\Handler::class);
$app->booted(fn () => $app['router']->middleware('web')->group(dirname(__DIR__).'/routes/web.php'));

$kernel = $app->make(Illuminate\Contracts\Http\Kernel::class);
$response = $kernel->handle($request = Illuminate\Http\Request::capture())->send();
$kernel->terminate($request, $response);
