<?php

use App\Http\Controllers\SignInController;
use Illuminate\Support\Facades\Route;

Route::get('/', [SignInController::class, 'home']);
Route::get('/sign-in', [SignInController::class, 'form']);
Route::post('/sign-in', [SignInController::class, 'send']);
Route::post('/sign-in/verify', [SignInController::class, 'verify']);
